extern const float Table[3];
extern const int Size;
namespace tables {
extern const double Weights[2];
}
float sumElsewhere() {
  float Sum = 0;
  for (int I = 0; I < Size; ++I)
    Sum += Table[I];
  return Sum + float(tables::Weights[0] + tables::Weights[1]);
}
