package dev.mainstay.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real full, read-only or forbidden file system needs root: FullDiskTest mounts one. */
class FolderFailureTest {
  @TempDir Path folder;

  private String explain(long needed, Exception failure) {
    return FolderFailure.explain(folder.resolve("a/b"), needed, "store.url", failure);
  }

  @Test
  void aDiskWithLessThanIsNeededIsFullWhateverTheFailureWasCalled() throws Exception {
    var store = Files.getFileStore(folder);
    assertThat(explain(Long.MAX_VALUE, new IOException("[SQLITE_IOERR_SHMSIZE] I/O error")))
        .startsWith("the disk of " + folder.resolve("a/b") + " is full: ")
        .contains("iB are free on " + store + ", and up to ")
        .endsWith("Free space there, or name a directory on another disk in store.url");
    assertThat(FolderFailure.shortage(folder, 0)).isNull();
  }

  @Test
  void aFailureOfTheSystemIsQuotedWithWhatToDo() {
    assertThat(explain(0, new AccessDeniedException("/x/lock")))
        .isEqualTo(
            "/x/lock: permission denied. Let this user (%s) write there, or name another directory in store.url"
                .formatted(System.getProperty("user.name")));
    // As chmod says it of another user's folder, in which this one may write.
    assertThat(explain(0, new FileSystemException("/x/lock", null, "Operation not permitted")))
        .isEqualTo(
            "/x/lock: Operation not permitted. Make this user (%s) the owner of it and of all that it holds, or name another directory in store.url"
                .formatted(System.getProperty("user.name")));
  }

  @Test
  void aFailureOfSomethingElseIsQuotedAlone() throws Exception {
    assertThat(explain(0, new IOException("[SQLITE_BUSY] locked")))
        .isEqualTo("[SQLITE_BUSY] locked");
    try (var files = Files.list(folder)) {
      assertThat(files).as("the probe leaves nothing").isEmpty();
    }
  }
}
