package dev.mainstay.gateway;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/** The lines that a gateway writes about calls, while it is open. */
final class LoggedLines implements AutoCloseable {
  private final BlockingQueue<ILoggingEvent> lines = new LinkedBlockingQueue<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.mainstay.calls");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event);
        }
      };

  LoggedLines() {
    appender.start();
    logger.addAppender(appender);
  }

  /** The next line that fits, as {@code LEVEL message}; those before it are let go. */
  String next(Predicate<String> fits) {
    try {
      while (true) {
        var line = lines.poll(60, TimeUnit.SECONDS);
        if (line == null) {
          throw new AssertionError("no such line was logged");
        }
        var text = line.getLevel() + " " + line.getFormattedMessage();
        if (fits.test(text)) {
          return text;
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Lines that were logged and not taken yet, and fit. */
  long waiting(Predicate<String> fits) {
    return lines.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .filter(fits)
        .count();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    appender.stop();
  }
}
