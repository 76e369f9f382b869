package dev.mainstay.app.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Logs to standard error, since standard output belongs to what a command prints: from INFO on, or
 * from the level that {@code MAINSTAY_LOG} names, as text or, where {@code MAINSTAY_LOG_FORMAT} is
 * {@code json}, as JSON lines. In code and not in XML, whose reading would be a tenth of the time
 * to start. A file named by {@code logback.configurationFile} counts instead.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final String FORMAT = "mainstay.log.format";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (isElsewhere()) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    var encoder = encoder(context);
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.toLevel(System.getenv("MAINSTAY_LOG"), Level.INFO));
    root.addAppender(appender);
    context.getLogger("io.netty").setLevel(Level.WARN);
    // Health and the log say whether the store is there; the pool's and driver's own lines repeat
    // it.
    context.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
    // They quote what servers of tools and their errors say.
    context.getLogger("io.modelcontextprotocol").setLevel(Level.OFF);
    context.getLogger("reactor").setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Whether a file says how it is to be logged. */
  static boolean isElsewhere() {
    return System.getProperty("logback.configurationFile") != null;
  }

  /** From now on JSON lines; to be said before the first line is logged. */
  public static void json() {
    System.setProperty(FORMAT, "json");
  }

  private static Encoder<ILoggingEvent> encoder(LoggerContext context) {
    if ("json".equals(System.getProperty(FORMAT, System.getenv("MAINSTAY_LOG_FORMAT")))) {
      var lines = new JsonLines();
      lines.setContext(context);
      lines.start();
      return lines;
    }
    var layout = new TextLines();
    layout.setContext(context);
    layout.start();
    var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
    encoder.setContext(context);
    encoder.setCharset(UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    return encoder;
  }
}
