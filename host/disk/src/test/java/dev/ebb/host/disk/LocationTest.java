package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.DiskFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Locations keep what they are made of. */
class LocationTest {

  @Test
  void keepsItsPartsAndRoundsTheSizeUp() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      int region = random.nextInt(DiskFormat.MOST_REGIONS);
      int offset = random.nextInt(DiskFormat.MOST_REGION_BYTES / DiskFormat.UNIT) * DiskFormat.UNIT;
      int bytes = (1 + (random.nextInt(1 << 24) >>> random.nextInt(24))) * DiskFormat.UNIT;
      boolean expires = random.nextBoolean();

      long location = Location.of(region, offset, bytes, expires);

      assertThat(Location.region(location)).isEqualTo(region);
      assertThat(Location.offset(location)).isEqualTo(offset);
      assertThat(Location.expires(location)).isEqualTo(expires);
      assertThat(Location.isAnnounced(location)).isFalse();
      assertThat(Location.wasRead(location)).isFalse();
      assertThat(Location.bytes(location)).isBetween(bytes, bytes + bytes / 1000 + 0);
    }
  }

  @Test
  void announcedOnesDifferByTicket() {
    assertThat(Location.isAnnounced(Location.announced(1))).isTrue();
    assertThat(Location.same(Location.announced(1), Location.announced(2))).isFalse();
  }
}
