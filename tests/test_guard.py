"""The suite guards the person it runs for."""

from __future__ import annotations

import os
import pwd
import socket
from pathlib import Path

import pytest


def test_no_test_sees_the_real_home() -> None:
    real = pwd.getpwuid(os.getuid()).pw_dir

    assert str(Path.home()) != real
    assert real not in {os.environ.get(name) for name in ("HOME", "XDG_DATA_HOME", "USERPROFILE")}


def test_no_test_reaches_the_network() -> None:
    with socket.socket() as connection, pytest.raises(PermissionError, match=r"192\.0\.2\.1"):
        connection.connect(("192.0.2.1", 80))
