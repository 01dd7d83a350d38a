"""Compiles programs in TypeScript beside a generated client."""

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


def compiled(program: Path, *, client: Path) -> Path:
    """The program in JavaScript, compiled with `client`, which it imports: a folder as `client`, a file by its name."""
    folder = client.with_name(f"{client.stem}-compiled")
    folder.mkdir()
    (folder / "node_modules").symlink_to(NPM_TOOLS, target_is_directory=True)
    (folder / ("client" if client.is_dir() else client.name)).symlink_to(client, target_is_directory=client.is_dir())
    (folder / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    options = {**STRICT["compilerOptions"], "preserveSymlinks": True}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": [program.name]}))
    run("tsc", "--project", folder)
    return folder / "out" / f"{program.stem}.js"
