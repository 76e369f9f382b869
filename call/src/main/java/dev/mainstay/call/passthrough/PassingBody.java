package dev.mainstay.call.passthrough;

import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.Body;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A body that passes through: its size and its SHA-256, and itself up to 1 MiB where there is
 * memory for it. Belongs to the exchange's loop.
 */
final class PassingBody {
  private static final int MOST = 1 << 20;

  private final MessageDigest digest = sha256();
  private final MemoryBudget.Reservation room;
  private final boolean recorded;
  private final boolean metered;
  private @Nullable ByteBuf kept;
  private boolean whole = true;
  private long size;

  /**
   * @param recorded whether it is for the record
   * @param metered whether its beginning tells what is to be paid
   */
  PassingBody(MemoryBudget memory, boolean recorded, boolean metered) {
    room = memory.reserve(MemoryBudget.Use.CACHE, MOST);
    this.recorded = recorded;
    this.metered = metered;
    kept = recorded || metered ? Unpooled.buffer() : null;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Takes note of a part, which stays as it is. */
  void add(ByteBuf part) {
    size += part.readableBytes();
    for (var buffer : part.nioBuffers()) {
      digest.update(buffer);
    }
    if (kept != null && whole) {
      if (room.grow(part.readableBytes())) {
        kept.writeBytes(part, part.readerIndex(), part.readableBytes());
        return;
      }
      whole = false;
      if (!metered) {
        kept = null;
        room.close();
      }
    }
  }

  long size() {
    return size;
  }

  /** Whether all of it so far is kept. */
  boolean isWhole() {
    return whole;
  }

  /** Its beginning as far as it is kept. */
  byte[] beginning() {
    return kept == null ? new byte[0] : ByteBufUtil.getBytes(kept);
  }

  /** Adds it to the record's bodies where it is kept whole, and gives its memory back. */
  void keep(List<Body> bodies, Body.Part as) {
    if (kept != null && whole && size > 0 && recorded) {
      bodies.add(new Body(0, as, ByteBufUtil.getBytes(kept)));
    }
    room.close();
  }

  /** Its size and its digest, for the record; "" where it is empty. */
  String described(String name) {
    return size == 0
        ? ""
        : "; %s of %d bytes, sha256 %s"
            .formatted(name, size, HexFormat.of().formatHex(digest.digest()));
  }
}
