package dev.mainstay.bench.proxy;

import java.nio.ByteBuffer;

/**
 * Finds the end of one HTTP/1.1 answer after the other, and the first byte of its content; reads no
 * more than that takes. For one connection.
 */
final class AnswerParser {
  private enum At {
    HEAD,
    BODY,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER
  }

  private final byte[] head = new byte[8192];
  private int headLength;
  private At at = At.HEAD;
  private long left;
  private int lineLength;
  private int status;
  private boolean retryAfter;
  private boolean content;
  private long contentBytes;

  /** Status of the answer being read, or read last. */
  int status() {
    return status;
  }

  /** Whether it carried {@code retry-after}. */
  boolean retryAfter() {
    return retryAfter;
  }

  /** Whether a byte of its body has come. */
  boolean hasContent() {
    return content;
  }

  /** Bytes of bodies so far, all answers together. */
  long contentBytes() {
    return contentBytes;
  }

  /** Takes what has come; true where an answer ended with it. One at a time: nothing pipelines. */
  boolean take(ByteBuffer in) {
    while (in.hasRemaining()) {
      switch (at) {
        case HEAD -> {
          if (headByte(in.get()) && at == At.HEAD) {
            return true;
          }
        }
        case BODY -> {
          skip(in);
          if (left == 0) {
            at = At.HEAD;
            return true;
          }
        }
        case CHUNK_SIZE -> {
          byte b = in.get();
          if (b == '\n') {
            at = left == 0 ? At.TRAILER : At.CHUNK;
            lineLength = 0;
          } else if (b != '\r') {
            left = left * 16 + Character.digit(b, 16);
          }
        }
        case CHUNK -> {
          skip(in);
          if (left == 0) {
            at = At.CHUNK_END;
          }
        }
        case CHUNK_END -> {
          if (in.get() == '\n') {
            at = At.CHUNK_SIZE;
          }
        }
        case TRAILER -> {
          byte b = in.get();
          if (b == '\n' && lineLength == 0) {
            at = At.HEAD;
            return true;
          }
          lineLength = b == '\n' ? 0 : b == '\r' ? lineLength : lineLength + 1;
        }
      }
    }
    return false;
  }

  private void skip(ByteBuffer in) {
    int length = (int) Math.min(left, in.remaining());
    in.position(in.position() + length);
    left -= length;
    content |= length > 0;
    contentBytes += length;
  }

  /** Whether the head ended with this byte. */
  private boolean headByte(byte b) {
    if (headLength == 0) {
      content = false;
    }
    head[headLength++] = b;
    if (b != '\n' || headLength < 4 || head[headLength - 3] != '\n') {
      return false;
    }
    status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
    retryAfter = value("retry-after:") >= 0;
    int length = value("content-length:");
    left = 0;
    if (length >= 0) {
      for (int i = length; head[i] != '\r'; i++) {
        if (head[i] != ' ') {
          left = left * 10 + head[i] - '0';
        }
      }
      at = left == 0 ? At.HEAD : At.BODY;
    } else {
      at = At.CHUNK_SIZE;
    }
    headLength = 0;
    return true;
  }

  /** Where the value of header {@code name} begins, or -1. */
  private int value(String name) {
    for (int line = 0; line < headLength; ) {
      int i = 0;
      while (i < name.length() && (head[line + i] | 0x20) == (name.charAt(i) | 0x20)) {
        i++;
      }
      if (i == name.length()) {
        return line + i;
      }
      while (head[line++] != '\n') {}
    }
    return -1;
  }
}
