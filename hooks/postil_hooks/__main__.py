"""Started by path with `python -I -S`: finds its own package, then handles one event."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from postil_hooks.client import main

if __name__ == "__main__":
    # Straight out: tearing the interpreter down costs a millisecond and can still print.
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
