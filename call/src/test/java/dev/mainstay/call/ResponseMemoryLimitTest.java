package dev.mainstay.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.ResponseMemoryLimit.Fit;
import org.junit.jupiter.api.Test;

class ResponseMemoryLimitTest {
  private final ResponseMemoryLimit room = new ResponseMemoryLimit(100, 150);

  @Test
  void oneAnswerIsHeldUpToItsBound() {
    var answer = room.share();
    assertThat(answer.take(60)).isEqualTo(Fit.FITS);
    assertThat(answer.take(41)).isEqualTo(Fit.TOO_LARGE);
    assertThat(answer.take(40)).isEqualTo(Fit.FITS);
  }

  @Test
  void allOfThemShareTheRoomAndGiveItBackOnce() {
    var first = room.share();
    var second = room.share();
    assertThat(first.take(100)).isEqualTo(Fit.FITS);
    assertThat(second.take(51)).isEqualTo(Fit.NO_ROOM);
    assertThat(second.take(50)).isEqualTo(Fit.FITS);
    first.over();
    first.over();
    assertThat(second.take(50)).isEqualTo(Fit.FITS);
    assertThat(room.share().take(51)).isEqualTo(Fit.NO_ROOM);
  }
}
