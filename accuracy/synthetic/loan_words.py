"""The lists and shares that the made-up loan table is drawn from."""

from dataclasses import dataclass
from typing import Final

RATES: Final = {"UZS": 1, "USD": 12_650, "EUR": 13_700}
"""UZS for one unit of a currency: one rate for the whole table."""


@dataclass(frozen=True)
class LoanKind:
    """What loans of one kind look like.

    `share` of all loans, `usd` and `eur` are shares of this kind, `smallest` and `largest` amounts in UZS,
    `months` the possible terms, `interest` the yearly percent of loans in UZS.
    """

    share: float
    usd: float
    eur: float
    smallest: int
    largest: int
    months: tuple[int, ...]
    interest: tuple[float, float]


LOAN_KINDS: Final = {
    "Ipoteka": LoanKind(0.20, 0.21, 0.04, 150_000_000, 900_000_000, (120, 180, 240), (17.0, 22.0)),
    "Avtokredit": LoanKind(0.18, 0.26, 0.04, 80_000_000, 400_000_000, (24, 36, 48, 60), (20.0, 26.0)),
    "Iste'mol krediti": LoanKind(0.25, 0.09, 0.01, 8_000_000, 100_000_000, (12, 18, 24, 36), (23.0, 29.0)),
    "Mikroqarz": LoanKind(0.17, 0.03, 0.0, 2_000_000, 50_000_000, (6, 12, 18, 24), (26.0, 34.0)),
    "Biznes kredit": LoanKind(0.14, 0.36, 0.07, 50_000_000, 2_000_000_000, (12, 24, 36, 60), (19.0, 25.0)),
    "Ta'lim krediti": LoanKind(0.06, 0.04, 0.05, 8_000_000, 60_000_000, (24, 48, 60, 84), (14.0, 17.0)),
}

COLLATERAL: Final = {
    "Ipoteka": {"Ko'chmas mulk": 0.97, "Kafillik": 0.03},
    "Avtokredit": {"Avtotransport": 0.94, "Ko'chmas mulk": 0.06},
    "Iste'mol krediti": {"Kafillik": 0.45, "Garovsiz": 0.35, "Oltin": 0.12, "Avtotransport": 0.08},
    "Mikroqarz": {"Garovsiz": 0.72, "Kafillik": 0.18, "Oltin": 0.10},
    "Biznes kredit": {"Ko'chmas mulk": 0.55, "Avtotransport": 0.20, "Kafillik": 0.25},
    "Ta'lim krediti": {"Kafillik": 0.70, "Garovsiz": 0.30},
}

REGION_WEIGHTS: Final = {
    "Toshkent sh.": 0.19,
    "Toshkent viloyati": 0.10,
    "Samarqand": 0.10,
    "Farg'ona": 0.09,
    "Andijon": 0.08,
    "Namangan": 0.07,
    "Buxoro": 0.06,
    "Xorazm": 0.05,
    "Qashqadaryo": 0.07,
    "Surxondaryo": 0.05,
    "Navoiy": 0.04,
    "Jizzax": 0.04,
    "Sirdaryo": 0.03,
    "Qoraqalpog'iston": 0.03,
}

DISTRICTS: Final = {
    "Toshkent sh.": ("Chilonzor", "Yunusobod", "Mirzo Ulug'bek", "Yakkasaroy", "Sergeli", "Olmazor"),
    "Toshkent viloyati": ("Zangiota", "Qibray", "Bo'stonliq", "Parkent", "Yangiyo'l"),
    "Samarqand": ("Urgut", "Kattaqo'rg'on", "Bulung'ur", "Jomboy", "Payariq"),
    "Farg'ona": ("Marg'ilon", "Quva", "Rishton", "Oltiariq", "Beshariq"),
    "Andijon": ("Asaka", "Shahrixon", "Xo'jaobod", "Marhamat", "Baliqchi"),
    "Namangan": ("Chust", "Pop", "Uychi", "Kosonsoy", "To'raqo'rg'on"),
    "Buxoro": ("G'ijduvon", "Kogon", "Vobkent", "Qorako'l", "Romitan"),
    "Xorazm": ("Urganch", "Xiva", "Hazorasp", "Shovot", "Gurlan"),
    "Qashqadaryo": ("Qarshi", "Shahrisabz", "Kitob", "G'uzor", "Koson"),
    "Surxondaryo": ("Termiz", "Denov", "Sherobod", "Boysun", "Sho'rchi"),
    "Navoiy": ("Karmana", "Zarafshon", "Nurota", "Xatirchi", "Qiziltepa"),
    "Jizzax": ("Zomin", "G'allaorol", "Forish", "Do'stlik", "Paxtakor"),
    "Sirdaryo": ("Guliston", "Yangiyer", "Boyovut", "Sayxunobod", "Xovos"),
    "Qoraqalpog'iston": ("Nukus", "Xo'jayli", "Beruniy", "To'rtko'l", "Qo'ng'irot"),
}

OFFICERS: Final = (
    "Aliyev Botir",
    "Xasanova Nilufar",
    "Yusupov Sherzod",
    "Rahimova Zulfiya",
    "Nazarov Ulug'bek",
    "Saidova Malika",
    "Tursunov Jahongir",
    "Qodirova Feruza",
)

MALE_NAMES: Final = (
    "Akmal", "Alisher", "Anvar", "Aziz", "Bahodir", "Bekzod", "Dilshod", "Doniyor", "Elyor", "Farhod", "Farrux",
    "Husan", "Ilhom", "Islom", "Jamshid", "Jasur", "Kamol", "Laziz", "Mansur", "Mirzohid", "Murod", "Nodir",
    "Oybek", "Otabek", "Ravshan", "Rustam", "Sanjar", "Sardor", "Shavkat", "Shuhrat", "Temur", "To'lqin", "Umid",
    "Xurshid", "Zafar", "Ziyod",
)  # fmt: skip

FEMALE_NAMES: Final = (
    "Aziza", "Barno", "Dildora", "Dilfuza", "Dilnoza", "Gavhar", "Guli", "Gulnora", "Hilola", "Iroda", "Kamola",
    "Lola", "Madina", "Mohira", "Muhabbat", "Munisa", "Nafisa", "Nargiza", "Nigora", "Oydin", "Ozoda", "Ra'no",
    "Robiya", "Sabohat", "Sevara", "Shahnoza", "Shoira", "Surayyo", "Umida", "Yulduz", "Zarina", "Zebo",
)  # fmt: skip

FAMILY_NAMES: Final = (
    "Abdullayev", "Abdurahmonov", "Ahmedov", "Axmadjonov", "Bozorov", "Ergashev", "Eshonqulov", "G'aniyev",
    "G'ulomov", "Hakimov", "Hamidov", "Ibragimov", "Ismoilov", "Jo'rayev", "Karimov", "Komilov", "Mahmudov",
    "Mirzayev", "Mo'minov", "Murodov", "Norqulov", "Normatov", "Olimov", "Ortiqov", "O'rinov", "Po'latov",
    "Qosimov", "Rajabov", "Rasulov", "Ro'ziyev", "Safarov", "Salimov", "Shodiyev", "Sobirov", "Sultonov",
    "To'xtayev", "Tojiyev", "Umarov", "Usmonov", "Vohidov", "Xolmatov", "Xudoyberdiyev", "Yo'ldoshev",
    "Zokirov",
)  # fmt: skip
