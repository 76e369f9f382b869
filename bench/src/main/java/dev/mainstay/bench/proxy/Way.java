package dev.mainstay.bench.proxy;

import java.io.IOException;

/** By which the upstream is reached. */
record Way(String name, Proc proc) {
  static final String MAINSTAY = "mainstay";
  static final String NGINX = "nginx";
  static final String DIRECT = "direct";

  boolean proxy() {
    return !name.equals(DIRECT);
  }

  /** A load of {@code payload} upon it; it is the caller's to close. */
  Load load(Payload payload, int connections) throws IOException {
    int port = proc.port();
    return new Load(port, connections, payload.request(port, name.equals(MAINSTAY)));
  }
}
