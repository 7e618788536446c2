"""The memory store in one SQLite file."""

from __future__ import annotations

from pathlib import Path

from postil.storage.connect import Database
from postil.storage.dismissals import DismissalTable
from postil.storage.episodes import EpisodeTable
from postil.storage.facts import FactTables
from postil.storage.journal import JournalTables
from postil.storage.memories import MemoryTable
from postil.storage.mirrored import MirroredTables
from postil.storage.searching import SearchTables
from postil.storage.sessions import SessionTable
from postil.storage.upkeep import UpkeepTables


class SqliteStore(
    MemoryTable,
    EpisodeTable,
    SessionTable,
    DismissalTable,
    SearchTables,
    MirroredTables,
    JournalTables,
    FactTables,
    UpkeepTables,
):
    """A `Store` in the file `path`; made when it is not there."""

    def __init__(self, path: Path, is_copy: bool = False) -> None:
        super().__init__(path, Database(path, "memory", puts_aside=not is_copy))
