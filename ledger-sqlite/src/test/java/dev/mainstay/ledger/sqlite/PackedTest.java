package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackedTest {
  private static final FileTime THEN = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));

  @TempDir Path directory;

  /** Bodies of many sizes, some over several blocks, some that do not compress. */
  private static List<byte[]> bodies() {
    var random = new Random(7);
    var bodies = new ArrayList<byte[]>();
    for (int size :
        new int[] {1, 17, 1000, Packed.BLOCK - 40, Packed.BLOCK, 3 * Packed.BLOCK + 5}) {
      var noise = new byte[size];
      random.nextBytes(noise);
      bodies.add(noise);
      bodies.add(("{\"n\":" + size + "}").repeat(size / 8 + 1).getBytes(UTF_8));
    }
    return bodies;
  }

  private List<Segments.Place> segment(List<byte[]> bodies) throws IOException {
    var places = new ArrayList<Segments.Place>();
    try (var segments =
        new Segments(directory, SegmentFiles.REAL, Segments.lengthFor(Long.MAX_VALUE))) {
      for (var body : bodies) {
        places.add(segments.append(body));
      }
      segments.flush();
      segments.commit();
    }
    Files.setLastModifiedTime(Segments.path(directory, 1), THEN);
    return places;
  }

  private void holdsAll(List<byte[]> bodies, List<Segments.Place> places) {
    for (int i = 0; i < bodies.size(); i++) {
      assertThat(Segments.read(directory, places.get(i))).isEqualTo(bodies.get(i));
    }
  }

  @Test
  void everyBodyIsReadFromWhereItWas() throws Exception {
    var bodies = bodies();
    var places = segment(bodies);
    long before = Files.size(Segments.path(directory, 1));
    new Packer(directory, () -> 2).packAll();
    assertThat(Segments.path(directory, 1)).doesNotExist();
    holdsAll(bodies, places);
    assertThat(Segments.list(directory).get(1)).isLessThan(before * 3 / 4);
    assertThat(Segments.modified(directory, 1)).isEqualTo(THEN.toInstant());
    try (var next =
        new Segments(directory, SegmentFiles.REAL, Segments.lengthFor(Long.MAX_VALUE))) {
      assertThat(next.current()).as("a packed one is never gone on with").isEqualTo(2);
    }
    Segments.delete(directory, 1);
    assertThatThrownBy(() -> Segments.read(directory, places.getFirst()))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("no longer kept");
  }

  @Test
  void theOneThatIsWrittenIsLeftAlone() throws Exception {
    segment(bodies());
    new Packer(directory, () -> 1).packAll();
    assertThat(Segments.path(directory, 1)).exists();
  }

  @Test
  void killedAtAnyPointNothingIsLost() throws Exception {
    var bodies = bodies();
    var places = segment(bodies);
    var raw = Files.readAllBytes(Segments.path(directory, 1));
    var half = directory.resolve("0001.segz.tmp");
    // Killed while it was being written.
    Files.write(half, new byte[1000]);
    holdsAll(bodies, places);
    // Killed between the rename and the deletion.
    Packed.pack(directory, 1, () -> false);
    Files.write(Segments.path(directory, 1), raw);
    holdsAll(bodies, places);
    new Packer(directory, () -> 2).packAll();
    assertThat(Segments.path(directory, 1)).doesNotExist();
    assertThat(half).doesNotExist();
    holdsAll(bodies, places);
  }

  @Test
  void stoppedInTheMiddleItLeavesTheSegment() throws Exception {
    var bodies = bodies();
    var places = segment(bodies);
    int[] blocks = {0};
    Packed.pack(directory, 1, () -> ++blocks[0] > 2);
    assertThat(Packed.path(directory, 1)).doesNotExist();
    holdsAll(bodies, places);
  }

  @Test
  void damageIsSaidAndNotReadOver() throws Exception {
    var places = segment(bodies());
    Packed.pack(directory, 1, () -> false);
    var bytes = Files.readAllBytes(Packed.path(directory, 1));
    bytes[bytes.length / 2] ^= 0x55;
    Files.write(Packed.path(directory, 1), bytes);
    assertThatThrownBy(() -> places.forEach(place -> Segments.read(directory, place)))
        .isInstanceOf(LedgerException.class);
  }
}
