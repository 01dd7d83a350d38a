"""The packages of the service: the folders of the project that are installed as apps, or hold some."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted(file.parent.name for file in ROOT.glob("*/__init__.py") if file.parent.name != "tests")
