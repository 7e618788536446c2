"""`python -m postil`: the command line."""

from postil.cli.main import main

main()
