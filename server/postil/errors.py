"""What can go wrong, as a tree. Every message says what failed, where, and what to do.

PostilError                exit code 1
 |- UsageError             2   the caller asked for something that does not exist or is malformed
 |- ConfigError            3   a settings file of the person's is wrong (names the file)
 |- StoreError             4   the memory store cannot be read or written
 |   |- DamagedStoreError  4   the file is no database, or its pages are broken
 |   `- NewerSchemaError   4   the store was written by a newer Postil: read nothing, write nothing
 |- ForgottenError         1   it was forgotten or erased, and stays gone
 |- QuotaError             1   a session has written more than it may
 |- ClientFileError        5   another program's file cannot be edited safely; nothing was changed
 `- SecretRefusedError     6   the text is a secret and was not stored

`postil review` ends with 7 when a change breaks a rule: an answer, not a failure.
"""

from __future__ import annotations


class PostilError(Exception):
    """Base of all expected failures; `str()` is fit to be shown to a person or an agent."""

    exit_code = 1
    code = "error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(PostilError):
    """The caller asked for something that does not exist or is malformed."""

    exit_code = 2
    code = "invalid_request"


class ConfigError(PostilError):
    """A settings file is wrong."""

    exit_code = 3
    code = "config"


class StoreError(PostilError):
    """The memory store or the code map cannot be read or written."""

    exit_code = 4
    code = "store"
    retryable = True


class DamagedStoreError(StoreError):
    """The file is no database, or its pages are broken."""

    code = "damaged"
    retryable = False


class NewerSchemaError(StoreError):
    """The store was written by a newer Postil."""

    code = "newer_schema"
    retryable = False


class ForgottenError(PostilError):
    """What is to be stored was forgotten or erased before."""

    code = "forgotten"


class QuotaError(PostilError):
    """A session has written more than it may."""

    code = "quota"


class ClientFileError(PostilError):
    """Another program's file cannot be edited safely. Nothing was changed."""

    exit_code = 5
    code = "client_file"


class SecretRefusedError(PostilError):
    """The text consists of a secret and was not stored."""

    exit_code = 6
    code = "secret_refused"


class EmbedError(PostilError):
    """A model for comparing meaning cannot be had now. Words answer meanwhile."""

    code = "embedder"
    retryable = True
