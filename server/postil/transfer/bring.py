"""Takes the memories of other tools in, through the write gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from postil.errors import ForgottenError, PostilError, StoreError
from postil.memory.facts import assert_fact
from postil.memory.write import Terms, remember
from postil.model import Scope
from postil.storage.store import Store
from postil.transfer.formats.others import READERS, Read
from postil.transfer.jsonl import Imported


def bring(store: Store, path: Path, name: str, scope: Scope) -> Imported:
    """Store what a file of another tool holds. Safe to repeat: nothing is stored twice.

    All of it or nothing.
    """
    read = READERS[name](path)
    done = Imported(skipped=read.passed_over)
    with store.transaction():
        _memories(store, read, scope, done)
        for number, fact in enumerate(read.facts, start=1):
            try:
                asserted = assert_fact(
                    store, replace(fact, scope=scope, author="import"), also=True
                )
            except StoreError:
                raise
            except PostilError as error:
                done.skip(number, error)
                continue
            done.added += not asserted.known
            done.known += asserted.known
    return done


def _memories(store: Store, read: Read, scope: Scope, done: Imported) -> None:
    for number, draft in enumerate(read.memories, start=1):
        try:
            written = remember(store, replace(draft, scope=scope), Terms())
        except ForgottenError:
            done.known += 1
            continue
        except StoreError:
            raise
        except PostilError as error:
            done.skip(number, error)
            continue
        done.added += written.created
        done.known += not written.created
        done.redacted += len(written.redacted)
