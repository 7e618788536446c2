"""The leader: of the processes that run for a working tree, the one that does the shared work.

Every process is correct alone; with a leader they are faster together. No daemon: it ends when its
client ends, and the next one takes over within a second.
"""
