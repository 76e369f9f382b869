package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.FailureClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What goes wrong in the caller's own program passes no sooner for being tried again, however much
 * its name looks like a network's: {@code FileNotFoundError} has {@code ENOTFOUND} in it.
 */
class ProgramErrorsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ModuleNotFoundError: No module named 'google.generativeai'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'config.json'",
        "ImportError: cannot import name 'OpenAI' from 'openai'",
        "KeyError: 'OPENAI_API_BASE'",
        "KeyError: 'content'",
        "TypeError: 'NoneType' object is not callable",
        "TypeError: __init__() got an unexpected keyword argument 'proxies'",
        "AttributeError: module 'openai' has no attribute 'ChatCompletion'",
        "AttributeError: 'str' object has no attribute 'content'",
        "NameError: name 'client' is not defined",
        "ZeroDivisionError: division by zero",
        "RecursionError: maximum recursion depth exceeded",
        "MemoryError",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0",
        "PermissionError: [Errno 13] Permission denied: '/root/.cache'",
        "OSError: [Errno 28] No space left on device",
        "OSError: [Errno 98] Address already in use",
        "Error: ENOENT: no such file or directory, open '/app/.env'",
        "Error: EACCES: permission denied, mkdir '/app/data'",
        "Error: listen EADDRINUSE: address already in use :::3000",
        "Error: Cannot find module '@langchain/openai'",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'openai'",
        "TypeError: Cannot read properties of undefined (reading 'map')",
        "TypeError: openai.createChatCompletion is not a function",
        "ReferenceError: fetch is not defined",
        "SyntaxError: Cannot use import statement outside a module",
        "RangeError: Maximum call stack size exceeded",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"text\" is null",
        "java.lang.ClassNotFoundException: dev.langchain4j.model.openai.OpenAiChatModel",
        "java.lang.NoSuchMethodError: 'void okhttp3.OkHttpClient'",
        "java.lang.IllegalArgumentException: apiKey cannot be null or empty",
        "java.lang.IllegalStateException: Client is not initialized",
        "java.lang.OutOfMemoryError: Java heap space",
        "java.lang.UnsupportedOperationException: streaming",
        "java.lang.NoClassDefFoundError: com/fasterxml/jackson/databind/ObjectMapper",
        "panic: runtime error: index out of range [0] with length 0",
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value'",
        "NoMethodError: undefined method `chat' for #<OpenAI::Client>",
        "Uncaught Error: Class \"OpenAI\\Client\" not found",
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        "torch.cuda.OutOfMemoryError: CUDA out of memory",
        "Segmentation fault (core dumped)",
        "Killed",
        "command not found: claude",
        "zsh: command not found: gemini",
        "sqlite3.OperationalError: database is locked",
        "sqlalchemy.exc.OperationalError: no such table: conversations",
        "redis.exceptions.AuthenticationError: Authentication required.",
        "PageNotFoundError: page missing",
        "RouteNotFoundException: Route [login] not defined.",
        "ToolNotFoundError: search",
        "TemplateNotFoundError: chat",
        "AssertionError",
        "NotImplementedError: streaming is not implemented",
        "RuntimeError: asyncio.run() cannot be called from a running event loop",
        "RuntimeError: Tensor on device cuda:0 is not on the expected device",
        "ValueError: Unknown scheme for proxy URL URL('socks://127.0.0.1:7890/')",
        "ValueError: too many values to unpack (expected 2)",
        "ValueError: could not convert string to float: 'abc'",
        "pydantic.errors.PydanticUserError: `__get_pydantic_core_schema__` is not fully defined",
        "yaml.scanner.ScannerError: mapping values are not allowed here",
        "Error: Invalid configuration file",
        "Error: Plugin failed to load",
        "Extension host terminated unexpectedly",
        "Error spawning python process",
        "spawn ENOENT",
        "Failed to start MCP server",
        "MCP error -32603: Internal error",
        "MCP error -32603: connection reset by peer",
        "getUser() returned null",
        "Tool search returned null",
        "Tool execution failed: command exited with code 1",
        "Task was destroyed but it is pending!",
        "User rejected the tool call",
        "The user doesn't want to proceed with this tool use.",
        "Permission to use Bash has been denied."
      })
  void isNotTriedAgainAsIfTheProviderHadFailed(String message) {
    var facts = new Facts("openai", Where.CLIENT, null, Headers.none(), null, message, null);
    assertThat(Classifier.standard().classify(facts).failureClass())
        .isNotEqualTo(FailureClass.TRANSIENT);
  }
}
