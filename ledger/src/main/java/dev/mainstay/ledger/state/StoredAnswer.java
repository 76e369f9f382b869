package dev.mainstay.ledger.state;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An answer as its client got it. The bytes are not copied: nobody may change them any more.
 *
 * @param call the id of the call that it answered
 * @param status the HTTP status
 * @param stream whether it was streamed: its body is the stream's bytes
 * @param headers in their order; a name may come twice
 * @param body the bytes of the body
 */
@SuppressWarnings(
    "ArrayRecordComponent") // written and read once, by loops: a copy is what it saves
public record StoredAnswer(
    String call, int status, boolean stream, List<Map.Entry<String, String>> headers, byte[] body) {

  public StoredAnswer {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(body, "body");
    headers = List.copyOf(headers);
  }
}
