package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** How segment files are opened and written: the seam at which tests let the disk be full. */
interface SegmentFiles {
  SegmentFiles REAL =
      path ->
          new ChannelFile(
              PrivateFiles.open(
                  path,
                  Set.of(
                      StandardOpenOption.CREATE,
                      StandardOpenOption.READ,
                      StandardOpenOption.WRITE)));

  /** Opens or makes the file. */
  File open(Path path) throws IOException;

  /** An open file, read and written at places. */
  interface File extends AutoCloseable {
    int write(ByteBuffer from, long at) throws IOException;

    int read(ByteBuffer into, long at) throws IOException;

    @Override
    void close() throws IOException;
  }

  /** The real thing. */
  record ChannelFile(FileChannel channel) implements File {
    @Override
    public int write(ByteBuffer from, long at) throws IOException {
      return channel.write(from, at);
    }

    @Override
    public int read(ByteBuffer into, long at) throws IOException {
      return channel.read(into, at);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
