package dev.mainstay.wire.translate;

/** Tells when the pieces of a JSON object or array have come to its end. Not thread-safe. */
public final class JsonEnd {
  private int depth;
  private boolean begun;
  private boolean string;
  private boolean escaped;

  /** Takes the next piece. */
  public void feed(String piece) {
    for (int i = 0; i < piece.length(); i++) {
      char c = piece.charAt(i);
      if (escaped) {
        escaped = false;
      } else if (string) {
        escaped = c == '\\';
        string = c != '"';
      } else if (c == '"') {
        string = true;
      } else if (c == '{' || c == '[') {
        depth++;
        begun = true;
      } else if (c == '}' || c == ']') {
        depth--;
      }
    }
  }

  /** Whether it has ended. */
  public boolean ended() {
    return begun && depth <= 0 && !string;
  }
}
