"""Compiles programs in TypeScript beside a generated client, together: most of the time goes into the client."""

import json
from pathlib import Path

from tests.live.clients.tools import NPM_TOOLS, run

STRICT = {
    "compilerOptions": {
        "strict": True,
        # TypeScript's own.
        "skipDefaultLibCheck": True,
        "target": "es2022",
        "lib": ["es2022", "dom", "dom.iterable"],
        "module": "nodenext",
        "moduleResolution": "nodenext",
        "types": [],
        "outDir": "out",
        "rootDir": ".",
    }
}


def compiled(*programs: Path, client: Path) -> list[Path]:
    """The programs in JavaScript, compiled with `client`: they import a folder as `client`, and a file by its name."""
    folder = client.with_name(f"{client.stem}-compiled")
    folder.mkdir()
    (folder / "node_modules").symlink_to(NPM_TOOLS, target_is_directory=True)
    (folder / ("client" if client.is_dir() else client.name)).symlink_to(client, target_is_directory=client.is_dir())
    for program in programs:
        (folder / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    options = {**STRICT["compilerOptions"], "preserveSymlinks": True}
    files = [program.name for program in programs]
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": files}))
    run("tsc", "--project", folder)
    return [folder / "out" / f"{program.stem}.js" for program in programs]
