package dev.mainstay.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class OutageLogTest {
  private final List<String> lines = new ArrayList<>();
  private final OutageLog trouble = new OutageLog(logger(lines), "Writing fails", "Writing works");

  @Test
  void oneLineForItsBeginningAndOneForItsEnd() {
    trouble.healed();
    for (int i = 1; i <= 3; i++) {
      trouble.failed(new IOException("try " + i));
    }
    assertThat(trouble.now()).isEqualTo("Writing fails (try 3)");
    trouble.healed();
    trouble.healed();
    assertThat(trouble.now()).isNull();
    assertThat(lines).containsExactly("WARN Writing fails: try 1", "INFO Writing works");
    trouble.failed(new IOException("again"));
    assertThat(lines).hasSize(3);
  }

  private static Logger logger(List<String> lines) {
    return new LegacyAbstractLogger() {
      private static final long serialVersionUID = 1;

      @Override
      protected String getFullyQualifiedCallerName() {
        return "";
      }

      @Override
      protected void handleNormalizedLoggingCall(
          Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
        lines.add(level + " " + MessageFormatter.basicArrayFormat(message, arguments));
      }

      @Override
      public boolean isTraceEnabled() {
        return true;
      }

      @Override
      public boolean isDebugEnabled() {
        return true;
      }

      @Override
      public boolean isInfoEnabled() {
        return true;
      }

      @Override
      public boolean isWarnEnabled() {
        return true;
      }

      @Override
      public boolean isErrorEnabled() {
        return true;
      }
    };
  }
}
