"""What Schemathesis must not send."""

import schemathesis


@schemathesis.hook
def filter_path_parameters(_, parameters):
    """Schemathesis takes a `%0D` in a value for an escape and sends another value, which need not be valid."""
    return all("%" not in str(value) for value in (parameters or {}).values())
