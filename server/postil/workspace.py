"""The composition root: one project's memory and code map, as every face uses them."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postil import git
from postil.anchors import Anchors, Tied
from postil.capture.knowledge import commit_episode
from postil.codemap import history
from postil.codemap import search as code_search
from postil.codemap import update as code_update
from postil.codemap.explore import Neighbourhood, explore
from postil.codemap.walk import Limits
from postil.config.load import Config, load
from postil.config.paths import cache_dir, data_dir, private
from postil.embed import Choice, Embedder, open_embedder
from postil.embed.choose import HOSTED, Measured, measure
from postil.errors import StoreError, UsageError
from postil.memory import recall as recalling
from postil.memory import vectors
from postil.memory.reading import Reader, StoreReader
from postil.model import (
    Actor,
    Anchor,
    CodeHit,
    CommitHit,
    Episode,
    FileHit,
    Freshness,
    Hit,
    Import,
    ImportHit,
    Recall,
    Scope,
    ScopeKind,
    Skip,
    Symbol,
)
from postil.project import Project, find_project
from postil.storage.codehistory import PastCommit
from postil.storage.codeindex import CodeIndex
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Cursor, Filters, Store
from postil.words import query_terms
from postil_hooks.paths import endpoint_name, stores_path

# A map that nobody watches is compared with the tree at most this often while it is searched.
_RECHECK_SECONDS = 5.0
# The memories of so many files at most are counted in the outline of a folder.
_OUTLINED_FILES = 200


@dataclass(frozen=True, slots=True)
class Brief:
    """What a session should know at its start."""

    project: str
    memories: tuple[Hit, ...]
    counts: tuple[tuple[str, int], ...]
    freshness: Freshness | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of a file or folder, its imports, and memories counted by `path#symbol`."""

    path: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    memories: tuple[tuple[str, int], ...]


class Workspace:
    """One project. Safe to use from several threads; each call is short."""

    def __init__(self, project: Project, config: Config) -> None:
        self.project = project
        self.config = config
        self.store: Store = SqliteStore(project.store_path)
        self.index = CodeIndex(cache_dir() / "maps" / f"{endpoint_name(str(project.root))}.db")
        self.anchors = Anchors(project.root, self.index)
        self._user: Store | None = None
        self._checked_at = 0.0
        self._updating = threading.Lock()
        # Set by the leader: whoever watches the tree keeps the map fresh without being asked.
        self.watched = False
        # By the path of a store: the leader reads its mirrors of them instead of the files.
        self.readers: dict[Path, Reader] = {}
        # What must be done while the stores are still open.
        self.before_closing: list[Callable[[], None]] = []

    @property
    def root(self) -> Path:
        """The root of the working tree."""
        return self.project.root

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the settings; loaded on first use."""
        return open_embedder(self.choice)

    @property
    def code_embedder(self) -> Embedder | None:
        """The embedder of the code map, which is made anew often: always an offline one."""
        named = self.config.text("embedder")
        return open_embedder(named if named in ("hash", "none") else "static")

    @property
    def choice(self) -> Choice:
        """Which embedder the settings name."""
        named = self.config.text("embedder")
        return Choice(
            self._picked() or named if named == "auto" else named,
            self.config.text("embedder.model"),
            self.config.text("embedder.folder"),
            self.config.text("embedder.url"),
            self.config.text("embedder.key_variable"),
            self.config.flag("embedder.download"),
            cache_dir() / "models",
        )

    @property
    def stores(self) -> Sequence[Store]:
        """The stores that a session here sees: the project's, then the person's own."""
        return (self.store, self._user_store())

    def store_of(self, scope: Scope) -> Store:
        """The store that a scope's memories lie in: one's own are not the project's."""
        return self._user_store() if scope.kind is ScopeKind.USER else self.store

    def close(self) -> None:
        """Let go of all files."""
        for finish in self.before_closing:
            finish()
        self.store.close()
        self.index.close()
        if self._user is not None:
            self._user.close()

    # -- memory ----------------------------------------------------------------------------------

    def recall(self, query: recalling.Query, cost: Callable[[Hit], int]) -> Recall:
        """The best memories and turns for a query, their anchors resolved.

        `cost` is what a hit costs of the query's budget once it is written out.
        """
        readers = [self.reader_of(store) for store in self.stores]
        return recalling.recall(readers, self.embedder, query, cost, self._resolved)

    def recall_by_words(self, query: recalling.Query, cost: Callable[[Hit], int]) -> Recall:
        """As `recall`, without comparing meaning: where an answer must not wait for a model."""
        readers = [self.reader_of(store) for store in self.stores]
        return recalling.recall(readers, None, query, cost, self._resolved)

    def reader_of(self, store: Store) -> Reader:
        """How a store is read here: straight from its file, unless somebody mirrors it."""
        return self.readers.setdefault(store.path, StoreReader(store))

    def brief(self, actor: Actor | None = None) -> Brief:
        """Standing rules, latest decisions, and the state of the code map."""
        scopes = (actor or Actor()).scopes
        counts: dict[str, int] = {}
        for store in self.stores:
            for kind, count in store.counts(scopes).items():
                counts[kind] = counts.get(kind, 0) + count
        return Brief(
            project=self.project.name,
            memories=tuple(
                Hit(memory.importance, memory, anchors=self.anchors.resolve_all(memory))
                for memory in recalling.brief(self.stores, scopes, limit=30)
            ),
            counts=tuple((kind, count) for kind, count in counts.items() if count),
            freshness=self.freshness(recount=False) if self.is_mapped else None,
        )

    def memories_in(self, path: str, actor: Actor | None = None) -> dict[str, list[Tied]]:
        """Memories tied to the file `path` (relative), by qualified symbol; "" is the file."""
        return self.anchors.by_symbol(self.stores, path, (actor or Actor()).scopes)

    def add_episodes(self, episodes: Sequence[Episode], cursor: Cursor | None) -> int:
        """Store turns of a conversation; how many were new."""
        return self.store.add_episodes(episodes, cursor)

    def embed_pending(self, limit: int = 1000, progress: vectors.Progress | None = None) -> int:
        """Embed memories, turns and symbols that lack a vector; how many were embedded."""
        done = 0
        if self.code_embedder is not None:
            done = code_search.embed_pending(
                self.root, self.index, self.code_embedder, limit, progress
            )
        embedder = self.embedder
        if embedder is not None:
            done += sum(vectors.refresh(store, embedder, limit, progress) for store in self.stores)
        return done

    def pick_embedder(self) -> tuple[Measured, ...]:
        """Measure the embedders that could serve here; `auto` means the best from now on."""
        measured = tuple(measure(self.choice))
        offline = [one for one in measured if one.name not in HOSTED]
        works = [one.name for one in offline if not one.problem]
        mark = {"folder": self.config.text("embedder.folder"), "picked": works[0] if works else ""}
        self._pick_file.parent.mkdir(parents=True, exist_ok=True)
        self._pick_file.write_text(json.dumps(mark), encoding="utf-8")
        return measured

    # -- code map --------------------------------------------------------------------------------

    @property
    def is_mapped(self) -> bool:
        """Whether the code has ever been mapped."""
        return self.index.meta("mapped") != ""

    def update_map(self, progress: code_update.Progress | None = None) -> code_update.Updated:
        """Bring the code map up to the working tree."""
        with self._updating:
            done = code_update.update(self.root, self.index, self._limits(), progress)
            self.index.set_meta("mapped", str(int(time.time())))
            self.index.set_meta("dirty", str(git.dirty(self.root)))
            self._checked_at = time.monotonic()
        return done

    def read_history(self, most: int = history.MOST_COMMITS) -> int:
        """Read commits that are not known yet; those that give reasons become episodes."""
        with self._updating:
            return history.read_history(self.root, self.index, most, self._remember_commits)

    def _remember_commits(self, commits: Sequence[PastCommit]) -> None:
        found = (commit_episode(one.sha, one.at, one.subject, one.body) for one in commits)
        self.store.add_episodes([one for one in found if one is not None], None)

    def remap(self, path: str) -> None:
        """Bring one file of the map up to date at once; one that is not mapped can wait."""
        with self._updating:
            code_update.update_file(self.root, self.index, path)

    def freshen(self) -> None:
        """Update the map unless someone watches the tree or it was compared a moment ago."""
        if not self._just_compared and not (self.watched and self.is_mapped):
            self.update_map()

    def search_code(self, query: str, limit: int = 10) -> list[CodeHit]:
        """The symbols that answer a query best, with the number of memories tied to each."""
        embedder = self._ready_to_search(query)
        anchored = {path for store in self.stores for path, _ in store.anchored()}
        hits = code_search.search(self.index, embedder, query, limit, anchored)
        tied: dict[str, dict[str, int]] = {}
        for hit in hits:
            path = hit.symbol.path
            if path not in tied:
                tied[path] = {name: len(rows) for name, rows in self.memories_in(path).items()}
        return [
            replace(hit, memories=tied[hit.symbol.path].get(hit.symbol.qualified, 0))
            for hit in hits
        ]

    def search_files(self, query: str, limit: int = 10) -> list[FileHit]:
        """The files that answer a query best, with the number of memories tied into each."""
        embedder = self._ready_to_search(query)
        hits = code_search.search_files(self.index, embedder, query, limit)
        return [
            replace(hit, memories=sum(map(len, self.memories_in(hit.path).values())))
            for hit in hits
        ]

    def search_imports(self, query: str, limit: int = 10) -> list[ImportHit]:
        """The imports of a module, of a file, or whose statement holds the words of a query."""
        self._ready_to_search(query)
        return self.index.imports_like(query_terms(query), limit)

    def search_commits(self, query: str, limit: int = 10) -> list[CommitHit]:
        """The commits that speak of a query."""
        self._ready_to_search(query)
        self.read_history()
        return self.index.history.search(query_terms(query), limit)

    def _ready_to_search(self, query: str) -> Embedder | None:
        """Bring map, vectors and history up to date, as far as that may take; the embedder."""
        if not query.strip():
            raise UsageError("the query is empty", hint="name what the code does")
        self.freshen()
        if not self.watched:
            self.read_history(history.BATCH)
        embedder = self.code_embedder
        if embedder is not None:
            code_search.embed_pending(self.root, self.index, embedder, limit=2000)
        return embedder

    def outline(self, path: str) -> Outline:
        """The symbols of a file or of all files below a folder."""
        self.freshen()
        relative = self.relative(path)
        symbols = self.index.symbols_in(relative)
        if not symbols:
            skipped = {skip.path: skip.reason for skip in self.index.skips()}
            if relative in skipped:
                raise UsageError(f"{path!r} is not mapped: {skipped[relative]}")
            if relative not in ("", ".") and not self.index.file_hash(relative):
                raise UsageError(f"{path!r} is not in the code map", hint="paths start at the root")
        paths = dict.fromkeys(symbol.path for symbol in symbols)
        counts = {
            f"{path}#{name}": len(rows)
            for path in list(paths)[:_OUTLINED_FILES]
            for name, rows in self.memories_in(path).items()
        }
        return Outline(
            relative,
            tuple(symbols),
            tuple(self.index.imports_of(relative)),
            tuple(counts.items()),
        )

    def explore(self, place: str, depth: int) -> Neighbourhood:
        """What calls and is called by a symbol, or imports and is imported by a file."""
        anchor = self.attach([place])[0]
        symbol = next(
            (one for one in self.index.symbols_in(anchor.path) if one.qualified == anchor.symbol),
            None,
        )
        return explore(self.root, self.index, anchor.path, symbol, depth)

    def freshness(self, recount: bool = True) -> Freshness:
        """How far the map lags; `recount` compares every file's size and time."""
        files, symbols = self.index.totals()
        behind = None
        if recount:
            behind = code_update.scan(self.root, self.index, self._limits()).behind
        elif self.watched or self._just_compared:
            behind = 0
        dirty = self.index.meta("dirty")
        return Freshness(
            indexed_head=self.index.meta("head"),
            # Who watches the tree has seen the commit that it was mapped at.
            head=self.index.meta("head") if behind == 0 and self.watched else git.head(self.root),
            files=files,
            symbols=symbols,
            behind=behind,
            dirty=int(dirty) if dirty else None,
            skipped=self.index.skip_counts(),
        )

    def skips(self) -> list[Skip]:
        """The files that are not mapped, each with its reason."""
        return self.index.skips()

    def attach(self, places: list[str]) -> list[Anchor]:
        """The anchors of places; a place that the map does not know may be new."""
        self.freshen()
        if any(code_update.is_behind(self.root, self.index, _path_of(one)) for one in places):
            self.update_map()
        commit = git.head(self.root)
        try:
            return [self.anchors.attach(self.relative(one), commit) for one in places]
        except UsageError:
            self.update_map()
        return [self.anchors.attach(self.relative(one), commit) for one in places]

    def mentioned(self, text: str) -> tuple[Anchor, ...]:
        """The anchors of what a text names, as far as the map is sure; none without a map."""
        if not self.is_mapped:
            return ()
        self.freshen()
        return self.anchors.mentioned(text, git.head(self.root))

    @property
    def _just_compared(self) -> bool:
        recent = time.monotonic() - self._checked_at < _RECHECK_SECONDS
        return recent and self._checked_at > 0

    # -- inside ----------------------------------------------------------------------------------

    def _resolved(self, hit: Hit) -> Hit:
        """A hit with the state of its code, which must be true now."""
        if hit.memory is None or not hit.memory.anchors:
            return hit
        if self.is_mapped:
            self.freshen()
        return replace(hit, anchors=self.anchors.resolve_all(hit.memory))

    @property
    def _pick_file(self) -> Path:
        return cache_dir() / "embedder.json"

    def _picked(self) -> str:
        """What was picked for the settings as they are; "" when nothing was."""
        try:
            mark = json.loads(self._pick_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        known = isinstance(mark, dict) and mark.get("folder") == self.config.text("embedder.folder")
        picked = str(mark.get("picked", "")) if known else ""
        return "" if picked in HOSTED else picked  # a server is only ever named by a person

    def _user_store(self) -> Store:
        if self._user is None:
            self._user = SqliteStore(data_dir() / "user" / "memory.db")
        return self._user

    def _limits(self) -> Limits:
        return Limits(
            max_bytes=self.config.number("index.max_kilobytes") * 1000,
            ignore=self.config.lines("index.ignore"),
        )

    def relative(self, place: str) -> str:
        """A place as the map names it: relative to the root, whatever the caller gave."""
        path = _path_of(place)
        rest = place[len(path) :]
        path = path.strip()
        if path and Path(path).is_absolute():
            try:
                path = Path(path).resolve().relative_to(self.root).as_posix()
            except ValueError:
                raise UsageError(f"{path} lies outside the project {self.root}") from None
        path = path.replace("\\", "/").removeprefix("./").rstrip("/")
        if ".." in path.split("/"):
            raise UsageError(f"{place!r} lies outside the project {self.root}")
        return path + rest


def _path_of(place: str) -> str:
    """The path in `path`, `path#Symbol.name` and `path::name`."""
    return re.split("#|::", place, maxsplit=1)[0]


def open_workspace(folder: Path | str, enter: bool = True) -> Workspace:
    """The workspace of the project that `folder` belongs to; its store is made when it is new.

    Without `enter` a folder that is no project yet is a UsageError; a StoreError names a folder
    that may not be read or written.
    """
    try:
        project = find_project(Path(folder).absolute(), data_dir() / "projects", enter)
        _name_stores(project)
        return Workspace(project, load(project.root))
    except OSError as error:
        raise StoreError(
            f"{error.filename or data_dir()} cannot be used: {error.strerror or error}",
            hint="check the folder's owner and mode",
        ) from error


def _name_stores(project: Project) -> None:
    """Write down where the stores lie, for a hook that must find them without us."""
    target = Path(stores_path(str(project.root)))
    stores = (project.store_path, data_dir() / "user" / "memory.db")
    text = "".join(f"{one}\n" for one in stores).encode("utf-8", "surrogateescape")
    if not target.is_file() or target.read_bytes() != text:
        private(target.parent)
        part = target.with_suffix(f".{os.getpid()}")
        part.write_bytes(text)
        part.replace(target)


__all__ = ["Brief", "Filters", "Outline", "Workspace", "open_workspace"]
