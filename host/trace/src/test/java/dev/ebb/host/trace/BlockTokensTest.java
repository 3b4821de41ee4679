package dev.ebb.host.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockTokensTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          100 7, 33 3          ; 16 ;
          6955 14, 7319 15     ; 512 ;
          1000 10, 1001 11     ; 100 ;
          100 3                ; 34 ; is uncertain: 34 to 49 fit the requests
          100 1                ; 128 ; is uncertain: no request has two blocks, so 100 or more fit
          20675 323, 24139 377 ; 64 ;
          200 2, 90 4          ; 128 ; is a guess: the lengths of the requests contradict each other
          0 3, 5 0             ; 0 ; is a guess: no request has both tokens and blocks
          """)
  void saysWhatIsDoubtfulAboutTheSize(String requests, long tokens, String doubt) {
    BlockTokens inferred = new BlockTokens();
    for (String request : requests.split(", ")) {
      String[] numbers = request.split(" ");
      TraceRequest observed = new TraceRequest();
      observed.inputTokens = Long.parseLong(numbers[0]);
      observed.blocks = Integer.parseInt(numbers[1]);
      inferred.observe(observed);
    }

    assertThat(inferred.tokens()).isEqualTo(tokens);
    assertThat(inferred.doubt()).isEqualTo(doubt);
  }
}
