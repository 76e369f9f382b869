package dev.mainstay.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingBodyLimitTest {
  private final PendingBodyLimit burden = new PendingBodyLimit(100);
  private final List<String> begun = new ArrayList<>();

  @Test
  void whatDoesNotFitIsNotTaken() {
    assertThat(burden.take(60)).isTrue();
    assertThat(burden.take(41)).isFalse();
    assertThat(burden.take(40)).isTrue();
    burden.give(60);
    assertThat(burden.take(60)).isTrue();
  }

  @Test
  void whatWaitsBeginsInOrderAsOthersEndAndBeforeWhatIsNew() {
    burden.whenItFits(70, () -> begun.add("a"));
    burden.whenItFits(50, () -> begun.add("b"));
    burden.whenItFits(20, () -> begun.add("c"));
    assertThat(begun).containsExactly("a");
    assertThat(burden.take(1)).as("others wait").isFalse();
    burden.give(70);
    assertThat(begun).containsExactly("a", "b", "c");
    assertThat(burden.take(31)).isFalse();
    assertThat(burden.take(30)).isTrue();
  }

  @Test
  void oneThatIsTooLargeForAnyRoomIsTakenAlone() {
    burden.add(1);
    burden.whenItFits(500, () -> begun.add("large"));
    assertThat(begun).isEmpty();
    burden.give(1);
    assertThat(begun).containsExactly("large");
  }
}
