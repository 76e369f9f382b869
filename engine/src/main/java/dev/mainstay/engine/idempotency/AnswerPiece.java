package dev.mainstay.engine.idempotency;

import dev.mainstay.ledger.state.StoredAnswer;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A part of an answer, in the order in which a call gave it. */
sealed interface AnswerPiece {
  /** What it holds in memory, in bytes; heads are not counted. */
  default int size() {
    return 0;
  }

  /** A whole answer. */
  @SuppressWarnings("ArrayRecordComponent") // shared by all who read it, changed by none
  record Whole(int status, HttpHeaders headers, byte[] body) implements AnswerPiece {
    @Override
    public int size() {
      return body.length;
    }
  }

  /** The head of a stream. */
  record Head(int status, HttpHeaders headers) implements AnswerPiece {}

  /** Bytes of a stream. */
  @SuppressWarnings("ArrayRecordComponent") // shared by all who read it, changed by none
  record Data(byte[] bytes) implements AnswerPiece {
    @Override
    public int size() {
      return bytes.length;
    }
  }

  /** The end of a stream. */
  record End() implements AnswerPiece {}

  /**
   * All pieces of an answer as one, to be given again.
   *
   * @param call the id of the call that made it
   * @param size their bytes together
   */
  static StoredAnswer joined(String call, List<AnswerPiece> pieces, long size) {
    var bytes = new ByteArrayOutputStream((int) Math.min(size, Integer.MAX_VALUE - 8));
    int status = 0;
    boolean stream = false;
    List<Map.Entry<String, String>> headers = List.of();
    for (var piece : pieces) {
      switch (piece) {
        case Whole whole -> {
          status = whole.status();
          headers = entries(whole.headers());
          bytes.writeBytes(whole.body());
        }
        case Head head -> {
          status = head.status();
          headers = entries(head.headers());
          stream = true;
        }
        case Data data -> bytes.writeBytes(data.bytes());
        case End _ -> {}
      }
    }
    return new StoredAnswer(call, status, stream, headers, bytes.toByteArray());
  }

  private static List<Map.Entry<String, String>> entries(HttpHeaders headers) {
    var list = new ArrayList<Map.Entry<String, String>>(headers.size());
    headers.forEach(header -> list.add(Map.entry(header.getKey(), header.getValue())));
    return list;
  }
}
