package dev.mainstay.simulator;

import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.ServerOptions;
import java.io.IOException;
import java.util.List;

/**
 * Providers that fail on command, on one port.
 *
 * <p>Base URLs as the SDKs take them: {@code http://host:port/v1} for OpenAI, {@code
 * http://host:port} for the others; a name before it ({@code http://host:port/mistral}) tells
 * several providers apart, in scripts and in the log. Any key is taken, and any model answers,
 * unless the script says otherwise. May be used from any thread.
 */
public final class Simulator implements AutoCloseable {
  private final Loops loops;
  private final ScriptProgress stage;
  private final RequestLog log = new RequestLog();
  private final HttpServer server;

  private Simulator(String host, int port, Script script) throws IOException {
    loops = Loops.start(1);
    stage = new ScriptProgress(System::nanoTime);
    stage.set(script);
    try {
      server =
          HttpServer.start(
              ServerOptions.defaults().at(host, port), loops, new RequestHandler(stage, log));
    } catch (IOException e) {
      loops.close();
      throw e;
    }
  }

  /**
   * Starts on 127.0.0.1.
   *
   * @param port 0 takes a free one
   * @throws IOException when the port cannot be listened on
   */
  public static Simulator start(int port, Script script) throws IOException {
    return new Simulator("127.0.0.1", port, script);
  }

  /** Starts on a free port of 127.0.0.1, and everything goes well until a script is set. */
  public static Simulator start() throws IOException {
    return start(0, Script.EMPTY);
  }

  /** The port it listens on. */
  public int port() {
    return server.port();
  }

  /** Where it is: {@code http://127.0.0.1:port}. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /** The base URL that an OpenAI SDK takes. */
  public String openAiUrl() {
    return url() + "/v1";
  }

  /** Sets another script; it begins at its first steps. Answers under way go on. */
  public void script(Script script) {
    stage.set(script);
  }

  /** The last requests (up to 10,000), oldest first. */
  public List<Received> log() {
    return log.all();
  }

  /** The last requests for one model, oldest first. */
  public List<Received> log(String model) {
    return log.all().stream().filter(each -> each.request().model().equals(model)).toList();
  }

  /** Forgets the requests; numbers begin at 1 again. */
  public void clearLog() {
    log.clear();
  }

  /** Closes every connection and stops. */
  @Override
  public void close() {
    server.close();
    loops.close();
  }
}
