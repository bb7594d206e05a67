"""Splitting text where its content turns: the core shared by every integration."""
