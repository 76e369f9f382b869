package dev.mainstay.http;

/**
 * Why an upstream request ended without a whole answer. Facts alone: what they mean is decided
 * elsewhere.
 *
 * @param cause what was thrown: {@link java.net.ConnectException}, {@link
 *     java.net.UnknownHostException}, {@link javax.net.ssl.SSLException}, {@link
 *     java.net.SocketTimeoutException} (connecting took too long), {@link java.io.IOException} and
 *     its kin; its messages hold no header, key or body
 * @param progress how far the request had come
 * @param reused whether the connection had served a request before: a provider may close such a one
 *     just as it is used
 * @param received bytes of the answer's body handed to the listener before it
 */
public record UpstreamFailure(Throwable cause, Progress progress, boolean reused, long received) {
  /** How far a request had come when it failed. */
  public enum Progress {
    /**
     * No connection: name, route, TLS or proxy failed, or it took too long. Nothing can have been
     * acted on.
     */
    NOT_CONNECTED,
    /**
     * Connected, but the request was not handed whole to the operating system: it cannot have been
     * acted on.
     */
    NOT_SENT,
    /** Sent whole, and no whole head of an answer seen: it may have been acted on. */
    SENT,
    /** The answer's head was seen; its body was cut. */
    HEADERS
  }

  /** Whether the provider can have acted on the request. */
  public boolean mayHaveActed() {
    return progress.compareTo(Progress.SENT) >= 0;
  }
}
