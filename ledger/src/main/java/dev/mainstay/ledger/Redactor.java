package dev.mainstay.ledger;

/**
 * Takes out of what is recorded what must not be kept. Called by the ledger's writing thread,
 * before anything reaches a disk; must not throw.
 */
public interface Redactor {
  /** Leaves everything as it is. */
  Redactor NONE =
      new Redactor() {
        @Override
        public byte[] body(byte[] bytes) {
          return bytes;
        }

        @Override
        public String facts(String json) {
          return json;
        }
      };

  /** A body without what must not be kept; {@code bytes} themselves are not changed. */
  byte[] body(byte[] bytes);

  /** The facts of a failure, a JSON object, without what must not be kept. */
  String facts(String json);
}
