package dev.mainstay.app.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.ConsoleAppender;
import org.junit.jupiter.api.Test;

class LogProviderTest {
  @Test
  void logsToStandardErrorAsLogSetupHasIt() {
    var provider = new LogProvider();
    provider.initialize();
    var context = (LoggerContext) provider.getLoggerFactory();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    assertThat(context.isStarted()).isTrue();
    assertThat(context.getMDCAdapter()).isSameAs(provider.getMDCAdapter());
    assertThat(root.iteratorForAppenders())
        .toIterable()
        .singleElement()
        .isInstanceOfSatisfying(
            ConsoleAppender.class,
            console -> {
              assertThat(console.getTarget()).isEqualTo("System.err");
              assertThat(console.isStarted()).isTrue();
            });
    assertThat(context.getLogger("io.netty").getLevel()).isEqualTo(Level.WARN);
  }
}
