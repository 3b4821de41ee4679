package dev.ebb.host.kvevents.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Xxh3Test {

  /** The numbers are those of Python's {@code xxhash.xxh3_64_intdigest} with seeds 0 and 1337. */
  @ParameterizedTest
  @CsvSource({
    "0, 2d06800538d394c2, d1f3e77444430ab9",
    "1, 4c5cca45d0f4811f, cb2872d8fd455c72",
    "3, 6e3e2670e61106ac, fc581e06d78e53fc",
    "4, 5c4c63133443d03f, f9199e9099b4a049",
    "8, f9fd4dd0b04d78f5, 37e88e9e5e8399d6",
    "9, 7c20df9712c26edf, 2957d5a3381207f0",
    "16, 86abf6baccea0858, 70d8d5774c98da80",
    "17, b58bf5dc5022d071, 43e7a7d81c882f45",
    "32, e3712ed84c04a66e, 60db1e9cc1063ea7",
    "33, a4dee99b093e1f73, 1e6367e751730376",
    "64, 1291d2d4042330dd, c7ed4d6e301e5b9b",
    "96, 81296929fc063365, 15f888914ce72f51",
    "97, f145a45b658ab9dd, 90d1140611e01195",
    "128, 10d17f72c0ccba41, e6a7a5db20c28f6e",
    "129, 1648bdc3db49d1a2, 4aac64bf15af9ef3",
    "160, 655c8dc33b4b4c4a, bc7df224bf9634b6",
    "240, b6cfaf343fab81e6, 234b2836bedf36ee",
    "241, 956cae592c67279e, c30a108a2d9cd415",
    "256, b15e550733c5dfac, 393121a7f11f2e41",
    "1024, 70bd377d9574f4bb, b5e8c03da8ae7421",
    "1025, 66c4487c41e127a7, a73ad318e96616a5",
    "1088, f43dc77e28a9acbc, 3a775bdb2a724c6b",
    "2048, 8b46caa67dab3a30, 875154957af8720d",
    "5000, e4007929540f095c, 3c2fbc01996d1c03",
  })
  void theHashIsThatOfTheReference(int length, String plain, String seeded) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 131 + 7);
    }
    assertThat(Long.toHexString(Xxh3.hash(bytes, length, 0)))
        .isEqualTo(Long.toHexString(Long.parseUnsignedLong(plain, 16)));
    assertThat(Long.toHexString(Xxh3.hash(bytes, length, 1337)))
        .isEqualTo(Long.toHexString(Long.parseUnsignedLong(seeded, 16)));
  }
}
