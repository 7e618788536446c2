"""Wires Postil into clients and takes it out again, byte for byte."""
