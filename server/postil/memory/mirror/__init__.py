"""The searchable rows of a store in memory, for the process that answers for all others."""
