import breaks
import pytest
from stack import Stack

SUMMARY = pytest.StashKey()


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    stack = Stack(tmp_path_factory.mktemp("stack"))
    yield stack
    stack.close()


@pytest.fixture(scope="session")
def matrix(tmp_path_factory, pytestconfig):
    stack = Stack(tmp_path_factory.mktemp("matrix"), breaks.config)
    matrix = breaks.Matrix(stack)
    yield matrix
    pytestconfig.stash[SUMMARY] = matrix.summary()
    stack.close()


def pytest_terminal_summary(terminalreporter, config):
    if SUMMARY in config.stash:
        terminalreporter.write_line(config.stash[SUMMARY])
