// The runtime's sums over a warp (runtime/gpu/accumulate.c). Contexts of one thread of this machine play lanes, which
// run in turns and meet where lanes exchange words. Whatever lanes share a place, in whole warps and in parts of them,
// every number is added once, to its own place.
// RUN: %clang -O1 -w -I%root/runtime/gpu %s -o %t && %t
// clang-format off
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

typedef unsigned Word;
enum { Warps = 2, Lanes = 32, Most = Warps * Lanes, StackBytes = 1 << 16 };
static Word threads;                         // of the block
static Word ownThread, ownLanes;             // the thread whose turn it is; the lanes that run its code
static struct {
  Word slot[Lanes];
} warps[Warps];
static ucontext_t turns;                     // gives each lane its turn
static struct {
  ucontext_t at;
  int ended;
  _Alignas(64) char stack[StackBytes];
} lanes[Most];

// The turn ends, and comes back when all other lanes have come here.
static void meet(void) { swapcontext(&lanes[ownThread].at, &turns); }
// All lanes that are here say a word; each reads what lane says.
static Word exchange(Word word, Word lane) {
  Word *slot = warps[ownThread / Lanes].slot;
  slot[ownThread % Lanes] = word;
  meet();
  Word got = slot[lane % Lanes];
  meet();
  return got;
}
static Word lanesWith(Word word, int any) {
  Word *slot = warps[ownThread / Lanes].slot, found = 0;
  slot[ownThread % Lanes] = word;
  meet();
  for (Word k = 0; k < Lanes; ++k)
    if (ownLanes >> k & 1 && (any ? slot[k] != 0 : slot[k] == word))
      found |= 1u << k;
  meet();
  return found;
}
static float asFloat(Word w) { union { Word w; float x; } u = {w}; return u.x; }
static Word asWord(float x) { union { float x; Word w; } u = {x}; return u.w; }

#define __NVPTX__ 1
#define __nvvm_activemask() ownLanes
#define __nvvm_isspacep_local(P) ((void)(P), 0)
#define __nvvm_match_any_sync_i32(M, K) lanesWith(K, 0)
#define __nvvm_vote_ballot_sync(M, P) lanesWith(!!(P), 1)
#define __nvvm_vote_any_sync(M, P) (lanesWith(!!(P), 1) != 0)
#define __nvvm_vote_all_sync(M, P) (lanesWith(!!(P), 1) == ownLanes)
#define __nvvm_shfl_sync_bfly_i32(M, X, D, C) (int)exchange((Word)(X), (ownThread ^ (Word)(D)))
#define __nvvm_shfl_sync_idx_i32(M, X, L, C) (int)exchange((Word)(X), (Word)(L))
#define __nvvm_shfl_sync_bfly_f32(M, X, D, C) asFloat(exchange(asWord(X), (ownThread ^ (Word)(D))))
#define __nvvm_shfl_sync_idx_f32(M, X, L, C) asFloat(exchange(asWord(X), (Word)(L)))
#define __nvvm_shfl_sync_down_i32(M, X, D, C) \
  (int)exchange((Word)(X), ownThread % Lanes + (D) < Lanes ? ownThread + (Word)(D) : ownThread)
#define __nvvm_shfl_sync_up_i32(M, X, D, C) \
  (int)exchange((Word)(X), ownThread % Lanes >= (D) ? ownThread - (Word)(D) : ownThread)
#define __nvvm_shfl_sync_up_f32(M, X, D, C) \
  asFloat(exchange(asWord(X), ownThread % Lanes >= (D) ? ownThread - (Word)(D) : ownThread))
#define __nvvm_bar_warp_sync(M) meet()
#define __syncthreads() abort()
#define __nvvm_read_ptx_sreg_laneid() (ownThread % Lanes)
#define __nvvm_read_ptx_sreg_tid_x() ownThread
#define __nvvm_read_ptx_sreg_tid_y() 0u
#define __nvvm_read_ptx_sreg_tid_z() 0u
#define __nvvm_read_ptx_sreg_ntid_x() threads
#define __nvvm_read_ptx_sreg_ntid_y() 1u
#define __nvvm_read_ptx_sreg_ntid_z() 1u
#define __nvvm_read_ptx_sreg_ctaid_x() 0u
#define __nvvm_read_ptx_sreg_ctaid_y() 0u
#define __nvvm_read_ptx_sreg_ctaid_z() 0u
#define __nvvm_read_ptx_sreg_nctaid_x() 1u
#define __nvvm_read_ptx_sreg_nctaid_y() 1u
#define __nvvm_read_ptx_sreg_nctaid_z() 1u
#define vprintf rg_vprintf
#define uint8_t rg_uint8_t
#define uint16_t rg_uint16_t
#define uint32_t rg_uint32_t
#define uint64_t rg_uint64_t
#undef NULL
#define _Float16 float // what is not asked for here needs no library of this machine
#define __bf16 float
#include "accumulate.c"
int rg_vprintf(const char *text, void *arguments) { abort(); }

enum { Places = 4096 };
static float floats[Places];
static double doubles[Places];
static Word key[Most], offset[Lanes], mask, additions;
static float number[Most][Lanes];
static int way;

// Offsets are those of floats; doubles lie twice as far apart.
#define OF(NAME, N, T, FACTOR)                                                           \
  rg_##NAME##x##N v;                                                                     \
  rg_##NAME##_offsets##N at;                                                             \
  for (int k = 0; k < N; ++k)                                                            \
    v[k] = number[ownThread][k], at[k] = FACTOR * offset[k];
#define OF32(NAME, FACTOR)                                                               \
  rg_##NAME##x32 v;                                                                      \
  rg_##NAME##_offsets4 at;                                                               \
  for (int k = 0; k < 32; ++k)                                                           \
    v[k] = number[ownThread][k], at[k / 8] = FACTOR * offset[k / 8 * 8];
// Products with numbers that stay, which are turned first if the warp is whole; Whole is what the kernel has found.
#define PRODUCT(WHOLE)                                                                   \
  OF32(f32, 1)                                                                           \
  Word whole = (WHOLE);                                                                  \
  rg_f32x32 turned = rg_turned_f32x32(v, whole);                                         \
  float x = (float)factorOf(ownThread);                                                  \
  for (int k = 0; k < 32; ++k)                                                           \
    v[k] *= x;
static Word factorOf(Word t) { return way < 22 ? 1 : 1 + t * 5 % 7; }
static void add(void) {
  char *f = (char *)floats + key[ownThread], *d = (char *)doubles + 2 * key[ownThread];
  RG_SHARED char *sf = (RG_SHARED char *)f, *sd = (RG_SHARED char *)d;
  switch (way) {
  case 0: { OF(f32, 8, float, 1) rg_merge_f32x8(sf, at, v, rg_peers(key[ownThread])); } break;
  case 1: { OF(f32, 4, float, 1) rg_merge_f32x4(sf, at, v, rg_peers(key[ownThread])); } break;
  case 2: { OF(f64, 8, double, 2) rg_merge_f64x8(sd, at, v, rg_peers(key[ownThread])); } break;
  case 3: { OF(f64, 4, double, 2) rg_merge_f64x4(sd, at, v, rg_peers(key[ownThread])); } break;
  case 4: { OF32(f32, 1) rg_merge_f32x32(sf, at, v, rg_peers(key[ownThread])); } break;
  case 5: { OF32(f64, 2) rg_merge_f64x32(sd, at, v, rg_peers(key[ownThread])); } break;
  case 6: { OF(f32, 8, float, 1) rg_merge_places_f32x8(f, at, v); } break;
  case 7: { OF(f32, 4, float, 1) rg_merge_places_f32x4(f, at, v); } break;
  case 8: { OF(f64, 8, double, 2) rg_merge_places_f64x8(d, at, v); } break;
  case 9: { OF(f64, 4, double, 2) rg_merge_places_f64x4(d, at, v); } break;
  case 10: rg_merge_shared_f32(sf, offset[0], number[ownThread][0], rg_peers(key[ownThread])); break;
  case 11: rg_merge_f32((float *)(f + offset[0]), number[ownThread][0]); break;
  case 12: { float *p = (float *)(f + offset[0]), *x = number[ownThread]; rg_beside_f32x2(p, x[0], x[1]); } break;
  case 13: { float *p = (float *)(f + offset[0]), *x = number[ownThread]; rg_beside_f32x3(p, x[0], x[1], x[2]); } break;
  case 14: { float *p = (float *)(f + offset[0]), *x = number[ownThread]; rg_beside_f32x4(p, x[0], x[1], x[2], x[3]); } break;
  case 15: { double *p = (double *)(d + 2 * offset[0]); float *x = number[ownThread]; rg_beside_f64x3(p, x[0], x[1], x[2]); } break;
  case 16: { OF(f32, 8, float, 1) rg_merge_whole_f32x8(f, at, v); } break;
  case 17: { OF(f32, 4, float, 1) rg_merge_whole_f32x4(f, at, v); } break;
  case 18: { OF(f64, 8, double, 2) rg_merge_whole_f64x8(d, at, v); } break;
  case 19: { OF(f64, 4, double, 2) rg_merge_whole_f64x4(d, at, v); } break;
  case 20: rg_merge_whole_f32((float *)(f + offset[0]), number[ownThread][0]); break;
  case 21: rg_merge_whole_f64((double *)(d + 2 * offset[0]), number[ownThread][0]); break;
  case 22: { PRODUCT(rg_whole_warp()) rg_product_shared_f32x32(sf, at, v, turned, x, whole, key[ownThread]); } break;
  case 23: { PRODUCT(rg_whole_warp()) rg_product_places_f32x32(f, at, v, turned, x, whole); } break;
  case 24: { PRODUCT(0) rg_product_shared_f32x32(sf, at, v, turned, x, whole, key[ownThread]); } break;
  case 26: {
    PRODUCT(rg_whole_warp()) rg_f32_offsets4 at2 = at + 2048;
    rg_products_shared_f32x32(sf, at, v, turned, x, whole, key[ownThread], sf, at2, v, turned, x, whole);
  } break;
  case 27: { PRODUCT(rg_whole_warp()) rg_products_shared_f32x32(sf, at, v, turned, x, whole, key[ownThread], sf, at, v, turned, x, 0); } break;
  case 25: { PRODUCT(0) rg_product_places_f32x32(f, at, v, turned, x, whole); } break;
  }
}
static const Word count[] = {8, 4, 8, 4, 32, 32, 8, 4, 8, 4, 1, 1, 2, 3, 4, 3, 8, 4, 8, 4, 1, 1, 32, 32, 32, 32, 32, 32};
static const int isDouble[] = {0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0};

static Word lanesOf(Word warp) {
  Word left = threads - warp * Lanes;
  return threads <= warp * Lanes ? 0 : left < Lanes ? mask & ((1u << left) - 1) : mask;
}
static void lane(void) {
  add();
  lanes[ownThread].ended = 1;
}
// Every lane of the block adds. Lanes of a warp that do not all end in one turn wait for one that never comes.
static int block(void) {
  Word here[Warps], left = 0;
  for (Word t = 0; t < Most; ++t) {
    here[t / Lanes] = lanesOf(t / Lanes);
    if (!(here[t / Lanes] >> t % Lanes & 1))
      continue;
    getcontext(&lanes[t].at);
    lanes[t].at.uc_stack.ss_sp = lanes[t].stack;
    lanes[t].at.uc_stack.ss_size = StackBytes;
    lanes[t].at.uc_link = &turns;
    lanes[t].ended = 0;
    makecontext(&lanes[t].at, lane, 0);
    ++left;
  }
  while (left)
    for (Word w = 0; w < Warps; ++w) {
      Word ended = 0;
      for (Word k = 0; k < Lanes; ++k)
        if (here[w] >> k & 1) {
          ownThread = w * Lanes + k, ownLanes = here[w];
          swapcontext(&turns, &lanes[ownThread].at);
          ended |= (Word)lanes[ownThread].ended << k;
          left -= lanes[ownThread].ended;
        }
      if (ended && ended != here[w])
        return 0;
      here[w] &= ~ended;
    }
  return 1;
}

// Which lanes have one place.
static Word keyOf(int kind, Word t) {
  Word lane = t % Lanes;
  switch (kind) {
  case 0: return 3;                     // all
  case 1: return lane / 16 * 7;         // halves
  case 2: return lane % 16;             // pairs, half a warp apart
  case 3: return lane;                  // none
  case 4: return lane & 5;              // two bits
  case 5: return lane % 3;              // without order
  case 6: return lane == 7 ? 9 : 2;     // all but one
  case 7: return lane / 8 * 40;         // rows of eight, places far apart
  default: return t / Lanes * 9 + (lane & 16);
  }
}

int main(void) {
  int bad = 0, cases = 0;
  static const Word masks[] = {~0u, 0xfffffffeu, 0x5a5a1234u}, sizes[] = {32, 48};
  for (way = 0; way < 28; ++way)
    for (int kind = 0; kind < 9; ++kind)
      for (int m = 0; m < 3; ++m)
        for (int s = 0; s < 2; ++s, ++cases) {
          double want[Places] = {0};
          threads = sizes[s], mask = masks[m];
          Word start = (Word)(rand() % 50) * 4;
          for (Word k = 0; k < Lanes; ++k)
            offset[k] = start + (count[way] == 32 ? k / 8 * 164 + k % 8 * 4 : (kind & 1 || (way > 11 && way < 16) ? k : k * 13 % 32) * 4);
          for (Word t = 0; t < Most; ++t) {
            key[t] = 4 * keyOf(kind, t);
            for (Word k = 0; k < Lanes; ++k)
              number[t][k] = (float)(rand() % 1000);
            for (Word k = 0; k < count[way] && t < threads && mask >> t % Lanes & 1; ++k)
            {
              double x = number[t][k] * factorOf(t);
              want[(key[t] + offset[k]) / 4] += way == 27 ? 2 * x : x;
              if (way == 26)
                want[(key[t] + offset[k] + 2048) / 4] += x;
            }
          }
          for (int k = 0; k < Places; ++k)
            floats[k] = 0, doubles[k] = 0;
          if (!block()) {
            printf("way %d, lanes %d, mask %x, %u threads: lanes do not meet\n", way, kind, mask, threads);
            return 1;
          }
          for (int k = 0; k < Places; ++k)
            if ((isDouble[way] ? doubles[k] : floats[k]) != want[k]) {
              printf("way %d, lanes %d, mask %x, %u threads: not %g at %d\n", way, kind, mask, threads, want[k], k);
              ++bad;
              break;
            }
        }
  printf("%d cases, %d wrong\n", cases, bad);
  return bad != 0;
}
