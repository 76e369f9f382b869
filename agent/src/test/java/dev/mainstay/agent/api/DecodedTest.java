package dev.mainstay.agent.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.agent.api.Reply.Refused;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DecodedTest {
  @Test
  void escapesAreUndoneAndBrokenOnesRefused() {
    assertThat(Decoded.segment("a%2Fb+c")).isEqualTo("a/b+c");
    assertThat(Decoded.parameters("q=a%20b")).containsEntry("q", List.of("a b"));
    assertThatThrownBy(() -> Decoded.segment("%zz")).isInstanceOf(Refused.class);
    assertThatThrownBy(() -> Decoded.parameters("%zz=1")).isInstanceOf(Refused.class);
    assertThatThrownBy(() -> Decoded.parameters("q=%")).isInstanceOf(Refused.class);
  }
}
