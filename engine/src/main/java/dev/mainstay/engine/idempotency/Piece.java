package dev.mainstay.engine.idempotency;

import io.netty.handler.codec.http.HttpHeaders;

/** A part of an answer, in the order in which a call gave it. */
sealed interface Piece {
  /** What it holds in memory, in bytes; heads are not counted. */
  default int size() {
    return 0;
  }

  /** A whole answer. */
  @SuppressWarnings("ArrayRecordComponent") // shared by all who read it, changed by none
  record Whole(int status, HttpHeaders headers, byte[] body) implements Piece {
    @Override
    public int size() {
      return body.length;
    }
  }

  /** The head of a stream. */
  record Head(int status, HttpHeaders headers) implements Piece {}

  /** Bytes of a stream. */
  @SuppressWarnings("ArrayRecordComponent") // shared by all who read it, changed by none
  record Data(byte[] bytes) implements Piece {
    @Override
    public int size() {
      return bytes.length;
    }
  }

  /** The end of a stream. */
  record End() implements Piece {}
}
