package dev.mainstay.app;

import dev.mainstay.app.log.LogProvider;
import dev.mainstay.app.serve.Serve;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Terminal;
import java.io.OutputStreamWriter;
import java.util.Map;

/**
 * Where it starts. Exit codes: 0 done, 1 it failed, 2 bad usage or bad configuration. Knows nothing
 * of picocli, so that {@code serve} starts without it.
 */
public final class Main {
  private Main() {}

  /**
   * What a start need not do: Netty describes its JFR events, though no recording is asked for, and
   * the JDK spins bytecode for each constructor of a configuration's records, to call it once.
   */
  private static final Map<String, String> QUICK_START =
      Map.of("io.netty.jfr.enabled", "false", "jdk.reflect.useNativeAccessorOnly", "true");

  public static void main(String[] arguments) {
    QUICK_START.forEach(System.getProperties()::putIfAbsent);
    LogProvider.use();
    var serve = Serve.plain(arguments);
    System.exit(serve == null ? Commands.execute(arguments) : run(serve));
  }

  private static int run(Serve serve) {
    try {
      var out = new OutputStreamWriter(System.out, System.out.charset());
      serve.run(new Terminal(out, Style.colours()));
      return 0;
    } catch (RuntimeException e) {
      return Commands.failed(e);
    }
  }
}
