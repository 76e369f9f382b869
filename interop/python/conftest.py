import pytest
from stack import Stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    stack = Stack(tmp_path_factory.mktemp("stack"))
    yield stack
    stack.close()
