package dev.ebb.host.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionsTest {

  @ParameterizedTest
  @CsvSource({"lru,lru,0", "lur,lru,1", "'',lru,3", "seive,sieve,1", "lfuu,lfu,1", "abc,xyz,3"})
  void countsInsertionsDeletionsSubstitutionsAndSwaps(String a, String b, int distance) {
    assertThat(Suggestions.distance(a, b)).isEqualTo(distance);
    assertThat(Suggestions.distance(b, a)).isEqualTo(distance);
  }

  @Test
  void aMistypedNameIsRecognised() {
    assertThat(Suggestions.hint("lur", List.of("arc", "lru", "sieve")))
        .isEqualTo(" (did you mean 'lru'?)");
  }

  @ParameterizedTest
  @CsvSource({
    "LRU-2, did you mean 'lru-2' or 'lru2'?",
    "lru_2, did you mean 'lru-2' or 'lru2'?",
    "S3FIFO, did you mean 's3-fifo'?",
    "SIEVE, did you mean 'sieve'?",
    "lr, did you mean 'lru'?"
  })
  void caseAndDashesCountForNothing(String wrong, String hint) {
    assertThat(Suggestions.hint(wrong, List.of("lru2", "lru", "sieve", "s3-fifo", "lru-2")))
        .isEqualTo(" (" + hint + ")");
  }

  @Test
  void ofManyEquallyNearNoneIsNamed() {
    assertThat(Suggestions.hint("aa", List.of("ab", "ac", "ad", "ae"))).isEmpty();
  }

  @Test
  void aFarNameIsNotGuessedAt() {
    assertThat(Suggestions.hint("clock", List.of("arc", "lru", "sieve"))).isEmpty();
  }
}
