package dev.mainstay.call.passthrough;

import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.wire.Dialect;

/**
 * A request that passes through unread.
 *
 * @param dialect in which errors are told
 * @param method as the client sent it
 * @param path what follows the base URL of the provider that it usually goes to, without query
 * @param length bytes of its body, 0 for none, or -1 where the client does not say
 * @param recordBodies whether its body and the answer's may be kept
 * @param settings whose deadline, retries and idle time count
 * @param origin whom it comes from, and the headers that go on
 */
public record PassThroughRequest(
    Dialect dialect,
    String method,
    String path,
    long length,
    boolean recordBodies,
    CallSettings settings,
    CallRequest.Origin origin) {}
