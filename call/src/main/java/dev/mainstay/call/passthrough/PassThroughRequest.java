package dev.mainstay.call.passthrough;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.wire.Dialect;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that passes through unread.
 *
 * @param provider the provider it goes to
 * @param dialect in which errors are told
 * @param method as the client sent it
 * @param path what follows the provider's base URL, with the query
 * @param shownPath as the client asked, for the record, without the query
 * @param headers those of the client's that go on, by lower-case name
 * @param length bytes of its body, 0 for none, or -1 where the client does not say
 * @param self what a client puts before a path at the provider to reach it through this gateway
 * @param recordBodies whether its body and the answer's may be kept
 * @param settings whose deadline, retries and idle time count
 * @param via the instances of this gateway it has come through, this one included
 * @param client the client's name, or null
 * @param run the run it belongs to, or null
 * @param parent the call or step that made it, or null
 */
public record PassThroughRequest(
    String provider,
    Dialect dialect,
    String method,
    String path,
    String shownPath,
    Map<String, String> headers,
    long length,
    String self,
    boolean recordBodies,
    CallSettings settings,
    String via,
    @Nullable String client,
    @Nullable String run,
    @Nullable String parent) {}
