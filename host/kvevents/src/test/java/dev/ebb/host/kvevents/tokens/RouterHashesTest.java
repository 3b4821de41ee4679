package dev.ebb.host.kvevents.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterHashesTest {

  /** The numbers are those of Python's {@code xxhash.xxh3_64_intdigest} with seeds 0 and 1337. */
  @ParameterizedTest
  @CsvSource({
    "4, 5c4c63133443d03f, f9199e9099b4a049",
    "8, f9fd4dd0b04d78f5, 37e88e9e5e8399d6",
    "16, 86abf6baccea0858, 70d8d5774c98da80",
    "32, e3712ed84c04a66e, 60db1e9cc1063ea7",
    "64, 1291d2d4042330dd, c7ed4d6e301e5b9b",
    "96, 81296929fc063365, 15f888914ce72f51",
    "128, 10d17f72c0ccba41, e6a7a5db20c28f6e",
    "160, 655c8dc33b4b4c4a, bc7df224bf9634b6",
    "240, b6cfaf343fab81e6, 234b2836bedf36ee",
    "256, b15e550733c5dfac, 393121a7f11f2e41",
    "1024, 70bd377d9574f4bb, b5e8c03da8ae7421",
    "1088, f43dc77e28a9acbc, 3a775bdb2a724c6b",
    "2048, 8b46caa67dab3a30, 875154957af8720d",
    "5000, e4007929540f095c, 3c2fbc01996d1c03",
  })
  void theHashOfABlockIsThatOfTheReference(int length, String plain, String seeded) {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < length; i++) {
      bytes.put((byte) (i * 131 + 7));
    }
    int[] tokens = new int[length / Integer.BYTES + 2];
    bytes.flip().asIntBuffer().get(tokens, 1, length / Integer.BYTES);
    int count = tokens.length - 2;
    assertThat(RouterHashes.block(tokens, 1, count, 0))
        .isEqualTo(Long.parseUnsignedLong(plain, 16));
    assertThat(RouterHashes.block(tokens, 1, count, 1337))
        .isEqualTo(Long.parseUnsignedLong(seeded, 16));
  }
}
