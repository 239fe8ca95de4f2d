"""The command `nadp`: release, encode, audit and calibrate, without a server."""


def main() -> None:
    """Run the command."""
    from nadp.runtime.memory import address_space_needed, memory_needed  # noqa: PLC0415 - before almost everything else
    from nadp.runtime.optional import optional  # noqa: PLC0415 - names the missing extra

    address_space_needed()
    with memory_needed(), optional("cli", "the command nadp"):
        from nadp.cli.operations import run  # noqa: PLC0415 - as above
    run()
