package dev.mainstay.app.log;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LogbackServiceProvider;
import ch.qos.logback.core.CoreConstants;

/**
 * Logback, set up by {@link LogSetup} at once. Left to themselves, SLF4J looks for Logback and
 * Logback for who sets it up, each in every jar of the class path.
 */
public final class LogProvider extends LogbackServiceProvider {
  /** Makes SLF4J take it; to be said before the first logger. Another that is named counts. */
  public static void use() {
    if (System.getProperty("slf4j.provider") == null) {
      System.setProperty("slf4j.provider", LogProvider.class.getName());
      // Or it says so first, in a line that is no log's.
      System.setProperty("slf4j.internal.verbosity", "WARN");
    }
  }

  @Override
  public void initialize() {
    if (LogSetup.isElsewhere()) {
      super.initialize();
      return;
    }
    var context = (LoggerContext) getLoggerFactory();
    context.setName(CoreConstants.DEFAULT_CONTEXT_NAME);
    context.setMDCAdapter(getMDCAdapter());
    new LogSetup().configure(context);
    context.start();
  }
}
